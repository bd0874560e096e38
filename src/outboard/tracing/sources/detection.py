"""torchvision's detectors as straight-line models.

A detector chooses boxes by their values, image by image, so that its operators depend on the data. What takes the time
and the memory does not: backbone, pyramid, heads, pooled regions and the losses over all anchors. Those run as they
are; the choices in between are taken for granted, with the numbers of boxes that torchvision's own settings allow.
"""

from collections.abc import Callable
from typing import Any, cast

import torch
import torch.nn.functional as F  # noqa: N812 (everybody's name for it)
from torch import nn
from torchvision.models.detection.generalized_rcnn import GeneralizedRCNN
from torchvision.models.detection.ssd import SSD
from torchvision.ops import roi_align, sigmoid_focal_loss

from outboard.i18n import _
from outboard.tracing.sources.base import Batch, Built

_FOREGROUND = 64  # anchors an image that hold an object and so enter the box loss


def build_detector(model: Any, image_size: int | None, versions: dict[str, str]) -> Built:
    """A straight-line version of ``model``, whatever its family."""
    size = image_size or _default_size(model)
    straight = TwoStage(model) if isinstance(model, GeneralizedRCNN) else OneStage(model)
    return Built(
        model=straight,
        make_batch=lambda batch: straight.batch(batch, size),
        loss=lambda output, targets: straight.loss(output, targets),
        unit="images",
        image_size=size,
        default_size=str(_default_size(model)),
        warnings=[
            _(
                "detection: resizing, anchors, their matching, non-maximum suppression and the work after it are left"
                " out; {count} regions an image are taken for granted"
            ).format(count=straight.regions)
        ],
        versions=versions,
    )


def _default_size(model: Any) -> int:
    fixed = model.transform.fixed_size
    return fixed[0] if fixed else model.transform.min_size[-1]


class OneStage(nn.Module):
    """RetinaNet, FCOS, SSD: a class and a box for every anchor."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.backbone, self.head = model.backbone, model.head
        self.softmax = isinstance(model, SSD)
        self.regions = _FOREGROUND

    def batch(self, batch: int, size: int) -> Batch:
        """Square images, as the detector's own transform would have left them."""
        return Batch((torch.empty(batch, 3, size, size),))

    def forward(self, images: torch.Tensor) -> dict[str, torch.Tensor]:
        """What the head says of every anchor."""
        features = self.backbone(images)
        return self.head([features] if isinstance(features, torch.Tensor) else list(features.values()))

    def loss(self, output: dict[str, torch.Tensor], targets: Any) -> torch.Tensor:
        """Classes of all anchors, boxes of a few."""
        logits, boxes = output["cls_logits"], output["bbox_regression"]
        chosen = boxes[:, : self.regions].float()
        total = F.smooth_l1_loss(chosen, torch.zeros_like(chosen), reduction="sum")
        if self.softmax:
            classes = torch.zeros(logits.shape[:2], dtype=torch.int64)
            return total + F.cross_entropy(logits.flatten(0, 1), classes.flatten(), reduction="none").sum()
        if "bbox_ctrness" in output:
            centre = output["bbox_ctrness"]
            total = total + F.binary_cross_entropy_with_logits(centre, torch.zeros_like(centre), reduction="sum")
        return total + cast(torch.Tensor, sigmoid_focal_loss(logits, torch.zeros_like(logits), reduction="sum"))


class TwoStage(nn.Module):
    """Faster, Mask and Keypoint R-CNN: proposals, then a class, a box and perhaps a mask for each."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        heads = model.roi_heads
        self.backbone, self.rpn_head = model.backbone, model.rpn.head
        self.box_head, self.box_predictor = heads.box_head, heads.box_predictor
        self.extra = [
            (getattr(heads, f"{name}_roi_pool"), getattr(heads, f"{name}_head"), getattr(heads, f"{name}_predictor"))
            for name in ("mask", "keypoint")
            if getattr(heads, f"{name}_roi_pool", None) is not None
        ]
        for i, (_pool, head, predictor) in enumerate(self.extra):
            self.add_module(f"extra_{i}", nn.Sequential(head, predictor))
        self.pool = heads.box_roi_pool
        self.sampled_anchors = model.rpn.fg_bg_sampler.batch_size_per_image
        self._trained, self._positive = heads.fg_bg_sampler.batch_size_per_image, heads.fg_bg_sampler.positive_fraction
        self._tested, self._kept = model.rpn._post_nms_top_n["testing"], heads.detections_per_img

    @property
    def regions(self) -> int:
        """Regions an image that get a class and a box."""
        return self._trained if self.training else self._tested

    @property
    def kept(self) -> int:
        """Regions an image that get a mask or keypoints."""
        return int(self._trained * self._positive) if self.training else self._kept

    def batch(self, batch: int, size: int) -> Batch:
        """Square images, as the detector's own transform would have left them."""
        return Batch((torch.empty(batch, 3, size, size),))

    def forward(self, images: torch.Tensor) -> list[torch.Tensor]:
        """Objectness and box of every anchor, then what the heads say of the regions."""
        features = self.backbone(images)
        maps = [features] if isinstance(features, torch.Tensor) else list(features.values())
        objectness, deltas = self.rpn_head(maps)
        anchors = [_per_anchor(level, 1) for level in objectness], [_per_anchor(level, 4) for level in deltas]
        results = [torch.cat(anchors[0], 1), torch.cat(anchors[1], 1)]
        regions = _pooled(self.pool, maps, images, self.regions)
        results += self.box_predictor(self.box_head(regions))
        for pool, head, predictor in self.extra:
            results.append(predictor(head(_pooled(pool, maps, images, self.kept))))
        return results

    def loss(self, output: list[torch.Tensor], targets: Any) -> torch.Tensor:
        """The losses of both stages, over as many samples as the detector draws."""
        objectness, deltas, classes, boxes, *extra = output
        some = objectness[:, : self.sampled_anchors].float()
        total = F.binary_cross_entropy_with_logits(some, torch.zeros_like(some))
        labels = torch.zeros(classes.shape[0], dtype=torch.int64)
        total = total + F.cross_entropy(classes, labels)
        for values in (deltas[:, : self.sampled_anchors], boxes):
            total = total + F.smooth_l1_loss(values, torch.zeros_like(values))
        for values in extra:
            total = total + F.binary_cross_entropy_with_logits(values, torch.zeros_like(values))
        return total


def _per_anchor(level: torch.Tensor, width: int) -> torch.Tensor:
    """(images, anchors * width, rows, columns) as (images, all anchors, width), as torchvision lays it out."""
    n, _channels, rows, columns = level.shape
    return level.view(n, -1, width, rows, columns).permute(0, 3, 4, 1, 2).reshape(n, -1, width)


def _pooled(pool: Any, maps: list[torch.Tensor], images: torch.Tensor, per_image: int) -> torch.Tensor:
    """Regions cut out of every level of the pyramid, in equal shares."""
    levels = maps[: len(pool.featmap_names)]
    share = max(images.shape[0] * per_image // len(levels), 1)
    cut: Callable[..., torch.Tensor] = roi_align
    parts = [
        cut(level, level.new_empty(share, 5), pool.output_size, level.shape[-1] / images.shape[-1], pool.sampling_ratio)
        for level in levels
    ]
    return torch.cat(parts)
