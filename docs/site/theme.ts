// Theme of the site: addresses, navigation, toolbar, and the pages that typedoc doesn't know (landing page and playground).
import { join } from "node:path";
import {
  DefaultTheme,
  DefaultThemeRenderContext,
  type DocumentReflection,
  JSX,
  type Models,
  type PageDefinition,
  type PageEvent,
  type Reflection,
  ReflectionKind,
  type Renderer,
  type RouterTarget,
  StructureRouter,
} from "typedoc";
import { kindModules, kindsOf, listModules } from "./reference.js";
import { type Section, type SourcePage, sections } from "./sources.js";

type ProjectReflection = Models.ProjectReflection;
type NavigationElement = ReturnType<DefaultTheme["buildNavigation"]>[number];

/** Pages that aren't about a reflection, by their address. */
export interface SpecialPage {
  readonly title: string;
  readonly description: string;
  /** Returns the HTML between toolbar and footer. */
  readonly body: (context: DefaultThemeRenderContext) => string;
  /** Scripts and stylesheets relative to the site's root. */
  readonly scripts: readonly string[];
  readonly styles: readonly string[];
}

/** The parts of the site that the theme puts together. */
export interface SiteParts {
  readonly staging: string;
  readonly version: string;
  readonly pages: readonly SourcePage[];
  readonly special: ReadonlyMap<string, SpecialPage>;
}

/** Returns the page that a document was staged from. */
function pageOf(document: DocumentReflection, parts: SiteParts): SourcePage | undefined {
  const file = document.project.files.getReflectionPath(document);
  return parts.pages.find(({ staged }) => join(parts.staging, staged) === file);
}

/** Returns a router that puts guides at their paths in the repository, and the reference under `api/`. */
export function siteRouter(parts: SiteParts): typeof StructureRouter {
  return class extends StructureRouter {
    override buildPages(project: ProjectReflection): PageDefinition[] {
      const extra = [...parts.special.keys()].filter((url) => url !== "index.html");
      return [...super.buildPages(project), ...extra.map((url) => ({ url, kind: "special", model: project }))];
    }

    protected override getIdealBaseName(target: Reflection): string {
      if (target.isDocument()) return (pageOf(target, parts)?.url ?? target.name).replace(/\.html$/, "");
      // A kind is a type and a descriptor of one name, and their pages need two names.
      const path = super.getIdealBaseName(target).replace(/^kubestream(?=\/|$)/, "api");
      if (target.kind === ReflectionKind.Module) return path === "api" ? "api/kubestream" : path;
      const twin = target.parent?.isDeclaration() && /\/kinds\//.test(target.parent.name);
      return twin && target.kind === ReflectionKind.Variable ? `${path}.descriptor` : path;
    }
  } as typeof StructureRouter;
}

/** Returns the theme. */
export function siteTheme(parts: SiteParts): new (renderer: Renderer) => DefaultTheme {
  return class extends DefaultTheme {
    override ContextClass = contextClass(parts);

    override buildNavigation(project: ProjectReflection): NavigationElement[] {
      return buildNavigation(this, project, parts);
    }

    override reflectionTemplate = (page: PageEvent<Models.ContainerReflection>): JSX.Element => {
      const context = this.getRenderContext(page);
      if (!page.model.isProject()) return context.reflectionTemplate(page);
      const html = context.markdown([{ kind: "text", text: "# API reference\n\n" }, ...listModules(page.model)]);
      return JSX.createElement(
        "div",
        { class: "tsd-panel tsd-typography ks-modules" },
        JSX.createElement(JSX.Raw, { html }),
      );
    };

    override render(page: PageEvent): string {
      const special = parts.special.get(page.url);
      if (special === undefined) return showAtOnce(super.render(page));
      return renderSpecial(
        this.getRenderContext(page as PageEvent<Reflection>),
        page as PageEvent<Reflection>,
        special,
      );
    }
  };
}

const hideBody =
  'document.body.style.display="none";setTimeout(() => window.app?app.showPage():document.body.style.removeProperty("display"),500)';

/**
 * Removes the script with which typedoc hides a page for half a second, until its filters of members apply. This site has no filters.
 * A search that is opened while the page is hidden doesn't get the focus.
 */
function showAtOnce(html: string): string {
  if (!html.includes(hideBody)) throw new Error("typedoc's script that hides the page has changed");
  return html.replace(hideBody, "");
}

/** Returns the links of the toolbar: the first page of each section that the site has. */
function toolbarLinks({ pages, special }: SiteParts): [string, string][] {
  const start = (section: Section): string | undefined => pages.find((page) => page.section === section)?.url;
  const links: [string, string | undefined][] = [
    ["Guides", start("Start")],
    ["Tutorials", start("Tutorials")],
    ["Playground", special.has("playground.html") ? "playground.html" : undefined],
    ["API", "modules.html"],
  ];
  return links.filter((link): link is [string, string] => link[1] !== undefined);
}

const logo =
  '<svg class="ks-logo" viewBox="0 0 32 32" aria-hidden="true"><path d="M16 2 28.1 9v14L16 30 3.9 23V9z"/><path d="M8 12.5c5.3-4 10.700 4 16 0M8 17.500c5.300-4 10.700 4 16 0M8 22.500c5.300-4 10.700 4 16 0"/></svg>';
const sun =
  '<svg viewBox="0 0 24 24" width="18" height="18" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" aria-hidden="true"><circle cx="12" cy="12" r="4.500"/><path d="M12 2v2.500M12 19.500V22M2 12h2.500M19.500 12H22M4.900 4.900l1.800 1.800M17.300 17.300l1.800 1.800M4.900 19.100l1.800-1.800M17.300 6.700l1.800-1.800"/></svg>';

function contextClass(parts: SiteParts): typeof DefaultThemeRenderContext {
  const h = JSX.createElement;
  return class extends DefaultThemeRenderContext {
    constructor(...parameters: ConstructorParameters<typeof DefaultThemeRenderContext>) {
      super(...parameters);
      const { header } = this;
      // The list of modules has a title in its text.
      this.header = (props) =>
        props.model.isProject() ? h("div", { class: "tsd-page-title" }, this.breadcrumbs(props.model)) : header(props);
    }

    override toolbar = (props: PageEvent<Reflection>): JSX.Element => {
      const links = toolbarLinks(parts).map(([label, url]) =>
        h("a", { href: this.relativeURL(url), class: props.url === url ? "current" : "" }, label),
      );
      return h(
        "header",
        { class: "tsd-page-toolbar" },
        h(
          "div",
          { class: "tsd-toolbar-contents container" },
          h("a", { href: this.relativeURL("index.html"), class: "title" }, h(JSX.Raw, { html: logo }), "kubestream"),
          // The site's script enables it if the site holds several versions.
          h(
            "select",
            { id: "ks-version", "aria-label": "Version", disabled: true },
            h("option", { value: parts.version }, `v${parts.version}`),
          ),
          h("nav", { id: "tsd-toolbar-links", "aria-label": "Sections" }, ...links),
          h(
            "button",
            { id: "ks-theme", type: "button", class: "tsd-widget", "aria-label": "Switch between light and dark" },
            h(JSX.Raw, { html: sun }),
          ),
          h(JSX.Raw, { html: searchHtml(this) }),
        ),
      );
    };

    // The sidebar's links repeat the toolbar's on small screens, where the toolbar has no room for them.
    override sidebarLinks = (): JSX.Element =>
      h(
        "nav",
        { id: "tsd-sidebar-links", class: "tsd-navigation ks-small-only" },
        ...toolbarLinks(parts).map(([label, url]) => h("a", { href: this.relativeURL(url) }, label)),
      );

    override breadcrumbs = (props: Reflection): JSX.Element => {
      const page = props.isDocument() ? pageOf(props, parts) : undefined;
      const names = page === undefined ? [] : [page.section === "Decisions" ? "Project › Decisions" : page.section];
      if (page !== undefined) return h("p", { class: "ks-eyebrow" }, ...names);
      const module =
        props.isDeclaration() && props.parent !== undefined && !props.parent.isProject() ? props.parent : undefined;
      return h(
        "p",
        { class: "ks-eyebrow" },
        props.isProject() ? "Reference" : h("a", { href: this.relativeURL("modules.html") }, "API"),
        module === undefined ? "" : " › ",
        module === undefined ? "" : h("a", { href: this.urlTo(module) }, h("code", null, module.name)),
      );
    };

    override footer = (): JSX.Element =>
      h(
        "footer",
        null,
        h(
          "p",
          { class: "tsd-generator" },
          `kubestream ${parts.version}, Apache-2.0. Kubernetes 1.36. API pages by TypeDoc.`,
        ),
      );
  } as typeof DefaultThemeRenderContext;
}

/** The search field, with the ids that typedoc's script looks for. */
function searchHtml(context: DefaultThemeRenderContext): string {
  const icon = (name: "search" | "menu"): string => JSX.renderElement(context.icons[name]());
  return `<button id="tsd-search-trigger" class="tsd-widget" aria-label="Search">${icon("search")}</button>
<dialog id="tsd-search" aria-label="Search"><input role="combobox" id="tsd-search-input" aria-controls="tsd-search-results"
 aria-autocomplete="list" aria-expanded="true" spellcheck="false" autocapitalize="off" autocomplete="off"
 placeholder="Search guides and API" maxlength="100"><ul role="listbox" id="tsd-search-results"></ul>
<div id="tsd-search-status" aria-live="polite" aria-atomic="true"><div>Preparing search index…</div></div></dialog>
<a href="#" class="tsd-widget menu" id="tsd-toolbar-menu-trigger" data-toggle="menu" aria-label="Menu">${icon("menu")}</a>`;
}

function buildNavigation(theme: DefaultTheme, project: ProjectReflection, parts: SiteParts): NavigationElement[] {
  const { router } = theme;
  const documents = new Map((project.documents ?? []).map((each) => [pageOf(each, parts), each]));
  const toElement = (page: SourcePage): NavigationElement | undefined => {
    const document = documents.get(page);
    return document && { text: page.title, path: router.getFullUrl(document), kind: ReflectionKind.Document };
  };
  const groups = new Map(
    sections.map((section) => [
      section,
      parts.pages
        .filter((page) => page.section === section)
        .map(toElement)
        .filter((each) => each !== undefined),
    ]),
  );
  if (parts.special.has("playground.html"))
    groups.get("Start")!.push({ text: "Playground", path: "playground.html", kind: ReflectionKind.Document });
  const decisions = groups.get("Decisions")!;
  groups.delete("Decisions");
  groups.get("Project")!.push({ text: "Decisions", children: decisions });
  groups.get("Reference")!.unshift(...referenceNavigation(theme, project));
  return [...groups].filter(([, children]) => children.length > 0).map(([text, children]) => ({ text, children }));
}

/** Modules with their members; of the kinds' modules only the kinds, without the types of their parts. */
function referenceNavigation(theme: DefaultTheme, project: ProjectReflection): NavigationElement[] {
  const kinds = new Set(kindModules(project));
  const toElement = (reflection: Models.DeclarationReflection, children?: NavigationElement[]): NavigationElement => ({
    text: reflection.name.replace(/^kubestream\//, ""),
    path: theme.router.getFullUrl(reflection as RouterTarget),
    kind: reflection.kind,
    class: theme.getReflectionClasses(reflection),
    ...(children === undefined ? {} : { children }),
  });
  const modules = (project.children ?? []).filter((each) => !kinds.has(each));
  const members = modules.map((module) =>
    toElement(
      module,
      (module.children ?? []).map((each) => toElement(each)),
    ),
  );
  const groups = [...kinds].map((module) => ({
    ...toElement(
      module,
      kindsOf(module).map(({ type }) => toElement(type)),
    ),
    text: module.name.replace("kubestream/kinds/", ""),
  }));
  return [...members, { text: "kinds", children: groups }];
}

function renderSpecial(
  context: DefaultThemeRenderContext,
  page: PageEvent<Reflection>,
  { title, description, body, scripts, styles }: SpecialPage,
): string {
  const url = (path: string): string => context.relativeURL(path, true);
  const html = (element: JSX.Element): string => JSX.renderElement(element);
  const sheet = (path: string): string => `<link rel="stylesheet" href="${url(path)}">`;
  const name = page.url.replace(/\.html$/, "");
  return `<!DOCTYPE html>
<html class="default" lang="en" data-base="${context.relativeURL("./")}"><head><meta charset="utf-8">
<title>${title}</title><link rel="icon" href="${url("assets/favicon.svg")}"><meta name="description" content="${description}">
<meta name="viewport" content="width=device-width, initial-scale=1">
${["assets/style.css", "assets/highlight.css", "assets/custom.css", ...styles].map(sheet).join("")}
<script defer src="${url("assets/main.js")}"></script><script defer src="${url("assets/custom.js")}"></script>
<script async src="${url("assets/icons.js")}" id="tsd-icons-script"></script>
<script async src="${url("assets/search.js")}" id="tsd-search-script"></script>
<script async src="${url("assets/navigation.js")}" id="tsd-nav-script"></script>
${scripts.map((path) => `<script type="module" src="${url(path)}"></script>`).join("")}</head>
<body class="ks-special ks-${name}"><script>document.documentElement.dataset.theme = localStorage.getItem("tsd-theme") || "os"</script>
${html(context.toolbar(page))}
<div class="container container-main"><div class="col-content">${body(context)}</div>
<div class="col-sidebar"><div class="page-menu"></div><div class="site-menu">${html(context.sidebar(page))}</div></div></div>
${html(context.footer())}<div class="overlay"></div></body></html>
`;
}
