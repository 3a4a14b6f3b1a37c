"""Parts of `jostle.synthetic.repository`: programs, schedule, contention, rows."""
