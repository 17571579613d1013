// Light and dark: follows the system until the button in the toolbar is used.
{
  const root = document.documentElement;
  const isDark = () =>
    root.dataset.theme === "dark" ||
    (root.dataset.theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.getElementById("ks-theme")?.addEventListener("click", () => {
    const theme = isDark() ? "light" : "dark";
    localStorage.setItem("tsd-theme", theme);
    root.dataset.theme = theme;
    const select = document.getElementById("tsd-theme");
    if (select) select.value = theme;
  });
}
// Search: typedoc ignores words that are typed before its index is ready, so they are searched for when it is.
{
  const status = document.getElementById("tsd-search-status");
  const field = document.getElementById("tsd-search-input");
  const observer = new MutationObserver(() => {
    observer.disconnect();
    if (field.value !== "") field.dispatchEvent(new Event("input"));
  });
  if (status && field) observer.observe(status, { childList: true });
}
