import { readdir } from 'node:fs/promises';
import { Router } from 'express';
import { LINK_PAGES } from '#domain/secret-link.ts';
import { filesPolicy, pagePolicy } from '#http/page-policy.ts';
import { routeNotFound } from '#http/problem-response.ts';
import type { Handler } from '#http/request-context.ts';
import { readStaticFile, sendImmutableFile, sendStaticFile, type StaticFile } from '#http/static-file.ts';

/** The console as it was built, read once: a build while the gateway runs does not mix with it. */
export interface ConsoleFiles {
  /** Undefined before the console was built. */
  readonly page: StaticFile | undefined;
  /** By name; each name contains a hash of the content. */
  readonly assets: ReadonlyMap<string, StaticFile>;
}

/** Reads the console from the folder that its build wrote. */
export async function readConsoleFiles(folder: URL): Promise<ConsoleFiles> {
  const page = await readIfPresent(new URL('index.html', folder));
  if (!page) return { page, assets: new Map() };
  const names = await readdir(new URL('assets/', folder));
  const assets = await Promise.all(
    names.map(async name => [name, await readStaticFile(new URL(`assets/${name}`, folder))] as const),
  );
  return { page, assets: new Map(assets) };
}

async function readIfPresent(file: URL): Promise<StaticFile | undefined> {
  try {
    return await readStaticFile(file);
  } catch (err) {
    if (err instanceof Error && 'code' in err && err.code === 'ENOENT') return undefined;
    throw err;
  }
}

/** The addresses of the console's pages; the script of the one file that all get shows the right one. */
const PAGES = ['/', '/sign-in', '/sign-up', '/new-team', '/new-project', '/account', '/teams/*rest'];
const LINK_PATHS = LINK_PAGES.map(page => `/${page}`);
const HEADERS = { 'Content-Security-Policy': filesPolicy, 'Referrer-Policy': 'same-origin' };

/** The paths of programs, which read JSON whatever they accept. */
const OF_PROGRAMS = /^\/(?:api|assets)\//;

/** Shows the console's page for unknown addresses, with 404, to requests that a browser makes: it says that there is no such page. */
export function unknownPage({ page }: ConsoleFiles): Handler {
  return (request, response, next) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!page || !isRead || OF_PROGRAMS.test(request.path)) return next();
    response.vary('Accept');
    if (request.accepts(['json', 'html']) !== 'html') return next();
    return sendStaticFile(request, response.status(404).set(HEADERS), page);
  };
}

/** The console, and its files under `/assets`. */
export function consoleRoutes({ page, assets }: ConsoleFiles): Router {
  const getPage: Handler = async (request, response) => {
    const referrer = LINK_PATHS.includes(request.path) && { 'Referrer-Policy': 'no-referrer' };
    if (page) await sendStaticFile(request, response.set({ ...HEADERS, ...referrer }), page);
    else response.status(503).set('Content-Security-Policy', NOT_BUILT_POLICY).type('html').send(NOT_BUILT);
  };
  const getAsset: Handler = (request, response) => {
    const asset = assets.get(String(request.params['name']));
    if (!asset) throw routeNotFound();
    return sendImmutableFile(request, response, asset);
  };
  const router = Router({ caseSensitive: true, strict: true }).get('/assets/:name', getAsset);
  for (const path of [...PAGES, ...LINK_PATHS]) router.get(path, getPage);
  return router;
}

const NOT_BUILT_STYLE = 'body{font:1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:4rem auto;padding:0 1rem}';
const NOT_BUILT_POLICY = pagePolicy({ style: NOT_BUILT_STYLE, script: '' });
const NOT_BUILT = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>The console is not built</title>
<style>${NOT_BUILT_STYLE}</style>
</head>
<body>
<h1>The console is not built</h1>
<p>Run <code>npm run build</code> in the project's folder and start the gateway again; <code>npm start</code> does both. The API is not affected: see <a href="/docs">its reference</a>.</p>
</body>
</html>
`;
