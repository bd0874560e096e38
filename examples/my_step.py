"""A training step of your own, for Outboard to trace: outboard estimate python:examples/my_step.py:make --on rtx-3090

The function returns a model and an example batch, and if it likes an optimizer and a loss function, as a tuple or as a
dict with the keys model, batch, optimizer and loss. No weights are computed and nothing is trained: the model is traced
with tensors that have shapes and no values. A batch may be

- a tensor: the model is called with it;
- a tuple: its last item is what the loss compares with, the others are the model's arguments;
- a dict: the model's keyword arguments.

If the function takes ``batch_size`` it is called with several; if not, the first dimension of its example is resized.
"""

import torch
from torch import nn


def make(batch_size: int = 8):
    model = nn.Sequential(
        nn.Conv2d(3, 32, 3, padding=1, bias=False),
        nn.BatchNorm2d(32),
        nn.ReLU(inplace=True),
        nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 3, padding=1, bias=False),
        nn.BatchNorm2d(64),
        nn.ReLU(inplace=True),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Dropout(0.1),
        nn.Linear(64, 10),
    )
    images = torch.randn(batch_size, 3, 32, 32)
    labels = torch.randint(0, 10, (batch_size,))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    return model, (images, labels), optimizer, nn.CrossEntropyLoss()
