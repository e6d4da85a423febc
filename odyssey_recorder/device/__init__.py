"""How an Android device is reached: its frames, its facts and the input put into it."""
