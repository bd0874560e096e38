"""Small tables of measurements, as people write them."""

from pathlib import Path

HEADING = "workload,task,precision,batch_size,gpu,quantity,value,unit"
ROWS = (
    "zoo:resnet50,infer,amp-fp16,256,RTX 3090,throughput,2900,images/s",
    "zoo:resnet50,train,amp-fp16,128,RTX 4090,step_time,130,ms",
    "bert_large,infer,fp32,8,NVIDIA_H100_80GB_HBM3,step_time,40,ms",
    "zoo:gpt2,train,amp-fp16,8,a10,peak_memory,9.5,GiB",
    "zoo:gpt2,serve,q4_0,1,l40s,decode_rate,100,tokens/s",
    "zoo:gpt2,infer,fp16,1,rtx 3091,throughput,100,samples/s",
)


def written(folder: Path, *rows: str, heading: str = HEADING, name: str = "table.csv") -> Path:
    """A file of that heading and those rows."""
    path = folder / name
    path.write_text("\n".join([heading, *rows]) + "\n", encoding="utf-8")
    return path
