import type { ApiDocument } from './openapi-types.ts';

/** Describes the API in plain text for language models: what it is, and each operation in a line. https://llmstxt.org */
export function llmsText({ info, servers, tags, paths }: ApiDocument): string {
  const base = servers[0]?.url ?? '';
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  );
  const sections = tags.map(({ name, description }) => {
    const ofTag = operations.filter(operation => operation.tags.includes(name));
    const lines = ofTag.map(({ method, path, summary }) => `- \`${method.toUpperCase()} ${path}\`: ${summary}`);
    return [`## ${name}`, description, lines.join('\n')].join('\n\n');
  });
  const intro = `> ${info.description.split('\n', 1)[0]} The complete description is [OpenAPI](${base}/openapi.json).`;
  return [`# ${info.title}`, intro, info.description.split('\n').slice(1).join('\n').trim(), ...sections, ''].join(
    '\n\n',
  );
}
