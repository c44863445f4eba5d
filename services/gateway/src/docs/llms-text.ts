import { WEBHOOKS } from './describe-webhooks.ts';
import { endpointsOf, INFO, type ApiDescription } from './document.ts';
import { TAGS } from './tags.ts';

const VERIFYING =
  'The body is the event. The header `webhook-signature` has `v1,` and base64 of HMAC-SHA256 over `{webhook-id}.{webhook-timestamp}.{body}`; the key are the bytes that the text after `whsec_` of the secret encodes in base64. While a secret is rotated, the header has one of these for each secret, separated by spaces: one that is right suffices. Refuse a `webhook-timestamp` (seconds) that is more than five minutes off. In JavaScript: `await verifyWebhook(body, headers, secret)` of `@billing/client`, which returns the event; elsewhere any library for Standard Webhooks. The body must be the bytes as they came.';

/** Describes the API in plain text for language models: what it is, and each operation in a line. https://llmstxt.org */
export function llmsText({ operations, publicUrl }: ApiDescription): string {
  const endpoints = endpointsOf(operations);
  const sections = TAGS.flatMap(({ name, description }) => {
    const ofTag = endpoints.filter(({ tag }) => tag === name);
    return [`## ${name}`, description, ofTag.map(it => `- \`${it.method} ${it.path}\`: ${it.summary}`).join('\n')];
  });
  const webhooks = WEBHOOKS.map(({ type, meaning }) => `- \`${type}\`: ${meaning}`).join('\n');
  const [first = '', ...others] = INFO.description.split('\n\n');
  const intro = `> ${first} The complete description is [OpenAPI](${publicUrl}/openapi.json).`;
  return [`# ${INFO.title}`, intro, ...others, ...sections, '## Webhooks to you', VERIFYING, webhooks, ''].join('\n\n');
}
