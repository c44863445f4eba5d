import { createHash } from 'node:crypto';
import { readStaticFile, type StaticFile } from '#http/static-file.ts';

/** The page of the API reference, which shows `/openapi.json` by Swagger UI, and the files that it loads. */
export interface DocsPage {
  readonly html: string;
  /** Part of the address of each file; changes with any of them. */
  readonly version: string;
  /** By name. */
  readonly files: ReadonlyMap<string, StaticFile>;
}

const SWAGGER_UI = ['swagger-ui-bundle.js', 'swagger-ui.css'];
const OWN = ['docs.js', 'document.js', 'client-snippet.js', 'accessibility.js', 'docs.css'];

/** Reads the files of the reference once. */
export async function readDocsPage(): Promise<DocsPage> {
  const addresses = [
    ...SWAGGER_UI.map(name => [name, new URL(import.meta.resolve(`swagger-ui-dist/${name}`))] as const),
    ...OWN.map(name => [name, new URL(`browser/${name}`, import.meta.url)] as const),
  ];
  const files = new Map(
    await Promise.all(addresses.map(async ([name, file]) => [name, await readStaticFile(file)] as const)),
  );
  const hash = createHash('sha256');
  for (const { bytes } of files.values()) hash.update(bytes);
  const version = hash.digest('hex').slice(0, 16);
  return { html: pageOf(`/docs/${version}`), version, files };
}

const pageOf = (folder: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Billing API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${folder}/swagger-ui.css">
<link rel="stylesheet" href="${folder}/docs.css">
<script defer src="${folder}/swagger-ui-bundle.js"></script>
<script type="module" src="${folder}/docs.js"></script>
</head>
<body>
<nav class="way-back" aria-label="Console"><a href="/">Back to the console</a></nav>
<div id="reference"></div>
<noscript><p>The reference needs JavaScript. Without it: <a href="/llms.txt">a list of all operations</a>, and <a href="/openapi.json">the OpenAPI document</a>.</p></noscript>
</body>
</html>
`;
