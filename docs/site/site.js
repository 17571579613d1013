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
