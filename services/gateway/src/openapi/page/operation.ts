import { html } from 'hono/html';
import type {
  Answer,
  ApiDocument,
  Content,
  DescribedOperation,
  Example,
  Parameter,
  Reference,
  Schema,
} from '../openapi.ts';
import { curlOf } from './curl.ts';
import type { Html } from './html.ts';
import { inline, json, paragraphs } from './prose.ts';
import { kindOf, renderSchema } from './schema.ts';

/** An operation of the document with its place. */
export interface PlacedOperation {
  readonly path: string;
  readonly method: string;
  readonly operation: DescribedOperation;
}

/** All that is told of an operation below its title. */
export function renderOperation(document: ApiDocument, { path, method, operation }: PlacedOperation): Html {
  const { description, requestBody, responses } = operation;
  const parameters = operation.parameters.map(it => resolve(document.components.parameters, it));
  const answers = Object.entries(responses).map(
    ([status, it]) => [Number(status), resolve(document.components.responses, it)] as const,
  );
  const serverUrl = document.servers[0]?.url ?? '';
  const successes = answers.filter(([status]) => status < 400);
  const refusals = answers.filter(([status]) => status >= 400);
  return html`${paragraphs(description)}
    <h4>Parameters</h4>
    <dl class="fields">${parameters.map(renderParameter)}</dl>
    ${requestBody && renderBody(document, requestBody.content)}
    ${successes.map(([status, answer]) => renderSuccess(status, answer))}
    <h4>Example</h4>
    <pre><code>${curlOf({ serverUrl, path, method, operation, parameters })}</code></pre>
    ${successes.map(([status, answer]) => renderExample(status, answer))}
    <details>
      <summary><h4>Refusals</h4></summary>
      <dl class="told">${refusals.map(([status, answer]) => renderRefusal(document, status, answer))}</dl>
    </details>`;
}

/** A body is told in full, also where the document refers to it. */
function renderBody({ components }: ApiDocument, content: Readonly<Record<string, Content>>): Html {
  const bodies = Object.values(content).map(
    ({ schema }) =>
      html`${schema.$ref && html`<p>${kindOf(schema)}</p>`} ${renderSchema(resolve<Schema>(components.schemas, schema))}`,
  );
  return html`<h4>Body</h4>
    ${bodies}`;
}

function renderParameter({ name, in: place, required, description, schema }: Parameter): Html {
  return html`<dt><code>${name}</code> <span class="place">${place}</span> ${required && html`<em>required</em>`}</dt>
    <dd><p>${kindOf(schema)} — ${inline(description)}</p></dd>`;
}

function renderSuccess(status: number, { content }: Answer): Html {
  return html`<h4>Answer <span class="status">${status}</span></h4>
    ${Object.entries(content).map(([type, { schema }]) =>
      type === 'application/json' ? renderSchema(schema) : html`<p>A page, <code>${type}</code>.</p>`,
    )}`;
}

function renderRefusal(document: ApiDocument, status: number, { description, content }: Answer): Html[] {
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

function renderExample(status: number, { content }: Answer): Html {
  const example = content['application/json']?.example;
  return html`${
    example !== undefined &&
    html`<p>Answers ${status}:</p>
      ${json(example)}`
  }`;
}

/** What a reference refers to; every reference of the document is to a component of its own kind. */
function resolve<Component extends object>(
  components: Readonly<Record<string, Component>>,
  it: Component | Reference,
): Component {
  if (!isReference(it)) return it;
  const name = it.$ref.split('/').at(-1) ?? '';
  const found = components[name];
  if (!found) throw new Error(`The document refers to ${it.$ref}, which it lacks.`);
  return found;
}

const isReference = (it: object): it is Reference => '$ref' in it;
