"""Plans, runs and scores experiments in labs: does jostle name the job that slowed another?"""
