import { html } from 'hono/html';
import type {
  ApiDocument,
  ApiResponse,
  Content,
  DescribedOperation,
  Example,
  Parameter,
  Reference,
  Schema,
} from '../openapi-types.ts';
import { curlOf } from './curl.ts';
import { inline, json, paragraphs, type Html } from './markup.ts';
import { describeType, renderSchema } from './schema.ts';

/** An operation with its path and method. */
export interface LocatedOperation {
  readonly path: string;
  readonly method: string;
  readonly operation: DescribedOperation;
}

/** Renders the content of an operation below its title. */
export function renderOperation(document: ApiDocument, { path, method, operation }: LocatedOperation): Html {
  const { description, requestBody, responses } = operation;
  const parameters = operation.parameters.map(it => resolve(document.components.parameters, it));
  const resolved = Object.entries(responses).map(
    ([status, it]) => [Number(status), resolve(document.components.responses, it)] as const,
  );
  const serverUrl = document.servers[0]?.url ?? '';
  const successes = resolved.filter(([status]) => status < 400);
  const errors = resolved.filter(([status]) => status >= 400);
  return html`${paragraphs(description)}
    <h4>Parameters</h4>
    <dl class="fields">${parameters.map(renderParameter)}</dl>
    ${requestBody && renderBody(document, requestBody.content)}
    ${successes.map(([status, response]) => renderSuccess(status, response))}
    <h4>Example</h4>
    <pre><code>${curlOf({ serverUrl, path, method, operation, parameters })}</code></pre>
    ${successes.map(([status, response]) => renderExample(status, response))}
    <details>
      <summary><h4>Errors</h4></summary>
      <dl class="content">${errors.map(([status, response]) => renderError(document, status, response))}</dl>
    </details>`;
}

/** Shows the body's fields even where the document only refers to its schema. */
function renderBody({ components }: ApiDocument, content: Readonly<Record<string, Content>>): Html {
  const bodies = Object.values(content).map(
    ({ schema }) =>
      html`${schema.$ref && html`<p>${describeType(schema)}</p>`}
      ${renderSchema(resolve<Schema>(components.schemas, schema))}`,
  );
  return html`<h4>Body</h4>
    ${bodies}`;
}

function renderParameter({ name, in: place, required, description, schema }: Parameter): Html {
  return html`<dt><code>${name}</code> <span class="place">${place}</span> ${required && html`<em>required</em>`}</dt>
    <dd><p>${describeType(schema)} — ${inline(description)}</p></dd>`;
}

function renderSuccess(status: number, { content }: ApiResponse): Html {
  return html`<h4>Response <span class="status">${status}</span></h4>
    ${Object.entries(content).map(([type, { schema }]) =>
      type === 'application/json' ? renderSchema(schema) : html`<p>A page, <code>${type}</code>.</p>`,
    )}`;
}

function renderError(document: ApiDocument, status: number, { description, content }: ApiResponse): Html[] {
  const examples = Object.entries(content['application/json']?.examples ?? {});
  if (examples.length === 0)
    return [
      html`<dt>${status}</dt>
        <dd>${paragraphs(description)}</dd>`,
    ];
  return examples.map(([code, it]) => {
    const { summary } = resolve<Example>(document.components.examples, it);
    return html`<dt>${status} <code>${code}</code></dt>
      <dd><p>${summary}</p></dd>`;
  });
}

function renderExample(status: number, { content }: ApiResponse): Html {
  const example = content['application/json']?.example;
  return html`${
    example !== undefined &&
    html`<p>Response ${status}:</p>
      ${json(example)}`
  }`;
}

/** Resolves a reference; the document refers only to components of the same kind. */
function resolve<Component extends object>(
  components: Readonly<Record<string, Component>>,
  it: Component | Reference,
): Component {
  if (!isReference(it)) return it;
  const name = it.$ref.split('/').at(-1) ?? '';
  const found = components[name];
  if (!found) throw new Error(`The document has no ${it.$ref}.`);
  return found;
}

const isReference = (it: object): it is Reference => '$ref' in it;
