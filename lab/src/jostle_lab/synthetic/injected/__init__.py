"""Parts of `jostle_lab.synthetic.repository`: programs, schedule, contention, rows."""
