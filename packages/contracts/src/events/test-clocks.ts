import { z } from 'zod';
import { defineEvent } from '../event.ts';
import { ProjectId, TestClockId } from '../ids.ts';
import { timestamp } from '../timestamp.ts';
import { version } from '../version.ts';

/** A test clock was created or deleted: which project its events go to. */
export const TestClockSaved = defineEvent(
  'test-clock.saved.v1',
  z.object({
    id: TestClockId.schema,
    projectId: ProjectId.schema,
    processorTestClockId: z.string(),
    version,
    createdAt: timestamp,
    deletedAt: timestamp.nullable(),
  }),
);
