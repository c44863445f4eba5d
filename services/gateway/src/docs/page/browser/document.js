/** Returns the document as the page shows it: for this address, and without what a page can't send. */
export function documentHere(document, origin) {
  // The browser sends the session's cookie by itself, and lets no page set it.
  const { session: _session, ...securitySchemes } = document.components.securitySchemes;
  const paths = mapValues(document.paths, methods => mapValues(methods, withoutCookie));
  // The page would send an example as it is, and a second request under one Idempotency-Key is a repeat of the first.
  const parameters = mapValues(document.components.parameters, ({ example: _example, ...parameter }) => parameter);
  const components = { ...document.components, parameters, securitySchemes };
  return { ...document, servers: [{ url: origin }], paths, components };
}

const withoutCookie = operation => ({
  ...operation,
  security: operation.security.filter(requirement => !('session' in requirement)),
});

/** Returns the request of an operation's example, as the snippets take it. */
export function exampleRequest(document, path, method) {
  const operation = document.paths[path][method];
  const parameters = operation.parameters.map(parameter => resolve(document, parameter));
  const examples = place => parameters.filter(it => it.in === place && it.example !== undefined);
  const filled = examples('path').reduce(
    (url, it) => url.replace(`{${it.name}}`, encodeURIComponent(it.example)),
    path,
  );
  const query = new URLSearchParams(examples('query').map(({ name, example }) => [name, String(example)]));
  const body = operation.requestBody?.content['application/json']?.example;
  const takesKey = operation.security.some(requirement => 'apiKey' in requirement);
  return {
    url: `${document.servers[0].url}${filled}${query.size > 0 ? `?${query.toString()}` : ''}`,
    method: method.toUpperCase(),
    headers: {
      ...(takesKey && { Authorization: 'Bearer bil_test_…' }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body, null, 2) }),
  };
}

/** Returns the operation that a request is for, with the values of its parameters and its body. */
export function operationOf(document, { url, method, body }) {
  const { pathname, searchParams } = new URL(url);
  for (const [path, methods] of Object.entries(document.paths)) {
    const operation = methods[method.toLowerCase()];
    const found = operation && new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`).exec(pathname);
    if (found) {
      const params = mapValues(found.groups ?? {}, decodeURIComponent);
      return { call: operation['x-client-call'], params, query: queryOf(document, operation, searchParams), body };
    }
  }
  return undefined;
}

/** Returns the query's values with the types that the document declares. */
function queryOf(document, operation, searchParams) {
  const types = Object.fromEntries(
    operation.parameters.map(it => resolve(document, it)).map(({ name, schema }) => [name, schema.type]),
  );
  return mapValues(Object.fromEntries(searchParams), (text, name) => {
    if (types[name] === 'array') return text.split(',');
    return ['integer', 'boolean'].includes(types[name]) ? JSON.parse(text) : text;
  });
}

const resolve = (document, { $ref, ...value }) =>
  $ref
    ? $ref
        .slice(2)
        .split('/')
        .reduce((within, name) => within[name], document)
    : value;

const mapValues = (object, map) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value, name)]));
