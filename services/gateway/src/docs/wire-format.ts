import { z } from 'zod';
import type { ZodOpenApiOverride } from 'zod-openapi';

/**
 * Shows a schema as its JSON is: timestamps as texts, integers of 64 bits, responses open to further fields, known keys as
 * properties, no pattern beside a format that says the same, and no bounds of safe integers. Lists that our code must not change
 * are not marked as read-only, which would leave them out of events. Examples stand at whole requests and responses.
 */
export const showWireFormat: ZodOpenApiOverride = ({ jsonSchema, zodSchema, io }) => {
  if (zodSchema instanceof z.ZodDate) jsonSchema.format = 'date-time';
  // Generators take an integer without a format for one of 32 bits, which amounts and totals outgrow.
  if (jsonSchema.type === 'integer') jsonSchema.format = 'int64';
  const { propertyNames, additionalProperties: value } = jsonSchema;
  if (typeof propertyNames === 'object' && propertyNames.enum && value !== undefined) {
    jsonSchema.properties = Object.fromEntries(propertyNames.enum.map(name => [String(name), value]));
    jsonSchema.additionalProperties = false;
    delete jsonSchema.propertyNames;
  }
  if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  if (['date-time', 'date', 'email'].includes(jsonSchema.format ?? '')) delete jsonSchema.pattern;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  delete jsonSchema.readOnly;
  delete jsonSchema['example'];
};
