import type { DescribedOperation, Parameter } from '../openapi-types.ts';

interface CurlExample {
  readonly serverUrl: string;
  readonly path: string;
  readonly method: string;
  readonly operation: DescribedOperation;
  /** The operation's parameters, with references resolved. */
  readonly parameters: readonly Parameter[];
}

/** Returns the operation's example as a shell command; secrets are in variables or in a file. */
export function curlOf({ serverUrl, path, method, operation, parameters }: CurlExample): string {
  const { security, requestBody, tags } = operation;
  const schemes = security.flatMap(requirement => Object.keys(requirement));
  const body = requestBody?.content['application/json']?.example;
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quoted(urlOf(serverUrl, path, parameters))}`,
    ...credentials(schemes),
    ...(tags[0] === 'Sign-in' && requestBody ? ['-c cookies.txt'] : []),
    ...(parameters.some(({ name }) => name === 'Idempotency-Key') ? ['-H "Idempotency-Key: $(uuidgen)"'] : []),
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body))}`]),
  ];
  return lines.join(' \\\n  ');
}

/** Prefers an API key. */
function credentials(schemes: readonly string[]): string[] {
  if (schemes.includes('apiKey')) return ['-H "Authorization: Bearer $BILLING_API_KEY"'];
  if (schemes.includes('session')) return ['-b cookies.txt'];
  if (schemes.includes('webhookSignature')) return ['-H "Stripe-Signature: $SIGNATURE"'];
  return [];
}

function urlOf(serverUrl: string, path: string, parameters: readonly Parameter[]): string {
  const examples = new Map(parameters.map(({ name, example }) => [name, String(example ?? name)]));
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(examples.get(name) ?? name));
  const inQuery = parameters.filter(parameter => parameter.in === 'query' && parameter.example !== undefined);
  const query = new URLSearchParams(inQuery.map(({ name, example }) => [name, String(example)])).toString();
  return `${serverUrl}${filled}${query && `?${query}`}`;
}

/** Quotes a text as one word for a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
