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
// Versions: `versions.json` next to the folder of this version names those that the site holds.
{
  const select = document.getElementById("ks-version");
  const base = new URL(document.documentElement.dataset.base, location.href);
  const current = select.value;
  fetch(new URL("../versions.json", base))
    .then((response) => response.json())
    .then((versions) => {
      if (!Array.isArray(versions) || versions.length < 2) return;
      const options = versions.map((version) => new Option(`v${version}`, version, false, version === current));
      select.replaceChildren(...options);
      select.disabled = false;
    })
    .catch(() => undefined); // A site of one version, or files that are opened without a server.
  select.addEventListener("change", async () => {
    const root = new URL(`../${select.value}/`, base);
    const page = new URL(location.href.slice(base.href.length), root);
    const found = await fetch(page, { method: "HEAD" }).catch(() => undefined);
    location.href = found?.ok ? page : root;
  });
}
