"""Recorded telemetry as columns on disk: each CSV file is converted once and then only mapped into memory.

layout     what lies in the folder of a converted file
csvfile    a CSV file as batches of typed columns, in bounded memory
complaint  what is wrong with a CSV file, by line
series     the series of a file of measurements, numbered while it is read
runs       sorted pieces of a file on disk, between the two passes of a conversion
merge      the second pass: the pieces become one sorted file of columns
texts      text columns, packed in chunks of rows
convert    both passes of one file
shelf      which conversions exist, are stale, or must be made; safe among processes
opened     one converted file, mapped
parts      the rows of one file that a question selects
frame      rows as a pandas DataFrame
"""
