import { z } from 'zod';
import type { ZodOpenApiOverride } from 'zod-openapi';

/**
 * Shows a schema as its JSON is: timestamps as texts, responses open to further fields, no pattern beside a format that says
 * the same, and no bounds of safe integers. Examples stand at whole requests and responses.
 */
export const showWireFormat: ZodOpenApiOverride = ({ jsonSchema, zodSchema, io }) => {
  if (zodSchema instanceof z.ZodDate) jsonSchema.format = 'date-time';
  if (zodSchema instanceof z.ZodObject && io === 'output' && !zodSchema.def.catchall)
    delete jsonSchema.additionalProperties;
  if (['date-time', 'date', 'email'].includes(jsonSchema.format ?? '')) delete jsonSchema.pattern;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  delete jsonSchema['example'];
};
