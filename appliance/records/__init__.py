"""Records in, spans out.

readers.read_records   a file of the user's -> RecordSet
readers.read_labels    a file of intended labels -> dict of IntendedLabel
segment.segment        a text -> numbered spans that judges can cite
"""
