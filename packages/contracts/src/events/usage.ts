import type { z } from 'zod';
import { ProjectId } from '../ids.ts';
import { usage } from '../resources/usage.ts';
import { defineRecordEvent } from './record-event.ts';

export const usageState = usage.extend({ projectId: ProjectId.schema });
export type UsageState = z.output<typeof usageState>;

export const UsageRejected = defineRecordEvent('usage.rejected', usageState);
