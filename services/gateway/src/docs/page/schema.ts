import { html } from 'hono/html';
import type { Schema } from '../openapi-types.ts';
import { inline, paragraphs, type Html } from './markup.ts';

const COMPONENT = '#/components/schemas/';

/** Renders every named schema. */
export function renderSchemas(schemas: Readonly<Record<string, Schema>>): Html {
  const sorted = Object.entries(schemas).toSorted(([one], [other]) => one.localeCompare(other));
  return html`<section>
    <h2 id="schemas">Schemas</h2>
    ${sorted.map(
      ([name, schema]) =>
        html`<details>
          <summary><h3>${name}</h3></summary>
          <div id="schema-${name}" class="content">
            ${schema.description && paragraphs(schema.description)} ${renderSchema(schema)}
          </div>
        </details>`,
    )}
  </section>`;
}

/** Renders the fields of an object, nested ones included, or the type of another value. */
export function renderSchema(schema: Schema): Html {
  const { properties, required = [] } = schema;
  if (!properties) return html`<p>${describeType(schema)}</p>`;
  const fields = Object.entries(properties).map(([name, field]) => renderField(name, field, required.includes(name)));
  return html`<dl class="fields">${fields}</dl>`;
}

function renderField(name: string, schema: Schema, isRequired: boolean): Html {
  const nested = objectIn(schema);
  return html`<dt><code>${name}</code> ${isRequired && html`<em>required</em>`}</dt>
    <dd>
      <p>${describeType(schema)}${schema.description && html` — ${inline(schema.description)}`}</p>
      ${nested && renderSchema(nested)}
    </dd>`;
}

/** Returns the unnamed object in a field, or in the items of an array. */
function objectIn({ properties, items, ...schema }: Schema): Schema | undefined {
  return properties ? { properties, ...schema } : items?.properties && items;
}

/** Renders a type with its constraints. */
export function describeType(schema: Schema): Html {
  const { $ref, anyOf, type, items, additionalProperties } = schema;
  if ($ref?.startsWith(COMPONENT)) {
    const name = $ref.slice(COMPONENT.length);
    return html`<a href="#schema-${name}">${name}</a>`;
  }
  if (anyOf) return html`${anyOf.map((option, index) => html`${index > 0 && ' or '}${describeType(option)}`)}`;
  if (items) return html`array of ${describeType(items)}${boundsOf(schema)}`;
  if (typeof additionalProperties === 'object' && additionalProperties.type)
    return html`object of ${describeType(additionalProperties)} by ${keysOf(schema)}`;
  return html`${type ?? 'any value'}${boundsOf(schema)}`;
}

const keysOf = ({ propertyNames }: Schema): Html => (propertyNames?.enum ? listOf(propertyNames.enum) : html`key`);

const listOf = (values: readonly unknown[]): Html =>
  html`${values.map((value, index) => html`${index > 0 && ', '}${code(value)}`)}`;

function boundsOf(schema: Schema): Html {
  const {
    format,
    enum: choices,
    const: only,
    pattern,
    minimum,
    maximum,
    minLength,
    maxLength,
    minItems,
    maxItems,
  } = schema;
  const bounds = [
    format,
    only !== undefined && html`always ${code(only)}`,
    choices && html`one of ${listOf(choices)}`,
    range(minimum, maximum),
    range(minLength, maxLength, 'characters'),
    range(minItems, maxItems, 'items'),
    pattern && html`matches ${html`<code>${pattern}</code>`}`,
    schema.default !== undefined && html`default ${code(schema.default)}`,
  ].filter(bound => bound !== undefined && bound !== false);
  return html`${bounds.map(bound => html`, ${bound}`)}`;
}

const code = (value: unknown): Html => html`<code>${typeof value === 'string' ? value : JSON.stringify(value)}</code>`;

function range(least: number | undefined, most: number | undefined, what = ''): string | undefined {
  if (least === undefined && most === undefined) return undefined;
  if (most === undefined) return `at least ${least} ${what}`.trim();
  return `${least ?? 0} to ${most} ${what}`.trim();
}
