"""What a training script uses to be carried on: checkpoints that are whole or not there, and word of its progress."""
