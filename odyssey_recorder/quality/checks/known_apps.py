"""The names of apps that an instruction may mention: well-known ones, and those of the simulated phone."""

NAMES = (
    "Agoda", "Airbnb", "Amazon", "Booking", "Browser", "Calculator", "Calendar", "Chrome", "Clock", "DuckDuckGo",
    "eBay", "Etsy", "Evernote", "Facebook", "Firefox", "Gmail", "Google Calendar", "Google Docs", "Google Drive",
    "Google Keep", "Google Maps", "Google Photos", "Google Play Store", "Google Tasks", "Instagram", "Lyft", "Mail",
    "Messages", "Messenger", "Microsoft To Do", "Music", "Notes", "Opera", "Outlook", "Photos", "Pinterest",
    "Quora", "Reddit", "Settings", "Shop", "Snapchat", "Social", "Spotify", "Telegram", "Temu", "Threads",
    "TickTick", "TikTok", "To-do", "Todoist", "Uber", "Walmart", "WhatsApp", "Wikipedia", "Yelp", "YouTube",
    "YouTube Music", "Zoom",
)  # fmt: skip
