"""The site: games played, watched and analysed in the browser."""
