"""The performance model: memory, operator time, transfer, collectives, step.

Plain functions of plain numbers and arrays.
"""
