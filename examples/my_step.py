"""A model of your own, to be forecast anywhere:

    outboard estimate python:examples/my_step.py:make --on rtx-4070@oculink-pcie4-x4

The function returns the model, an example batch as (inputs, targets), the loss and, if you like, the optimizer. Nothing
is trained and no weights are computed: one step is recorded, and replayed on the GPU you ask for.
"""

import torch
from torch import nn


def make(batch_size: int = 32):
    """A small convolutional network for 96-pixel images of ten classes."""
    model = nn.Sequential(
        nn.Conv2d(3, 32, 3, padding=1),
        nn.BatchNorm2d(32),
        nn.ReLU(inplace=True),
        nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 3, padding=1),
        nn.BatchNorm2d(64),
        nn.ReLU(inplace=True),
        nn.AdaptiveAvgPool2d(4),
        nn.Flatten(),
        nn.Linear(64 * 16, 10),
    )
    images = torch.randn(batch_size, 3, 96, 96)
    classes = torch.randint(0, 10, (batch_size,))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    return model, (images, classes), nn.functional.cross_entropy, optimizer
