import { endpointsOf, INFO, type ApiDescription } from './document.ts';
import { TAGS } from './tags.ts';

/** Describes the API in plain text for language models: what it is, and each operation in a line. https://llmstxt.org */
export function llmsText({ operations, publicUrl }: ApiDescription): string {
  const endpoints = endpointsOf(operations);
  const sections = TAGS.flatMap(({ name, description }) => {
    const ofTag = endpoints.filter(({ tag }) => tag === name);
    return [`## ${name}`, description, ofTag.map(it => `- \`${it.method} ${it.path}\`: ${it.summary}`).join('\n')];
  });
  const [first = '', ...others] = INFO.description.split('\n\n');
  const intro = `> ${first} The complete description is [OpenAPI](${publicUrl}/openapi.json).`;
  return [`# ${INFO.title}`, intro, ...others, ...sections, ''].join('\n\n');
}
