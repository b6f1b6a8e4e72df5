// Runs before the page is drawn, so that a chosen theme does not flash. Not a module for that reason.
try {
  const theme = localStorage.getItem("plyground-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Without storage the theme of the system is used.
}
