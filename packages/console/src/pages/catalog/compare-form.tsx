import type { BillingClient, Sync } from '@billing/client';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { projectsQuery, teamsQuery } from '#api/client.ts';
import { scopeOf, useProject } from '#api/project.ts';
import { useWrite } from '#layout/use-write.ts';
import { Options, SelectField, TextField } from '#ui/field.tsx';
import { Form, textOf } from '#ui/form.tsx';
import { Refusal } from './refusal.tsx';

export type Document = Parameters<BillingClient['catalog']['apply']>[0]['catalog'];

/** A document, and the report on it. */
export interface Compared {
  readonly document: Document;
  readonly sync: Sync;
}

const SOURCES = { file: 'A file', project: 'Another project' } as const;

/** Chooses a document, and has it compared. */
export function CompareForm({ onCompared }: { readonly onCompared: (compared: Compared) => void }) {
  const { billing, key } = useProject();
  const [source, setSource] = useState<string>('file');
  const projects = useOtherProjects();
  const compare = useWrite({
    write: async (fields: FormData): Promise<Compared> => {
      const document = await documentOf(fields);
      const options = { prune: fields.has('prune'), adopt: fields.has('adopt') };
      return { document, sync: await billing.catalog.apply({ catalog: document, mode: 'report', ...options }) };
    },
    stale: [key('syncs')],
    onDone: onCompared,
  });
  return (
    <Form action="Compare" write={compare} problems={{ rest: undefined }}>
      <SelectField label="Compare with" name="source" value={source} onChange={event => setSource(event.target.value)}>
        <Options of={SOURCES} />
      </SelectField>
      {source === 'file' ? (
        <TextField
          label="Document"
          name="file"
          type="file"
          accept=".json,application/json"
          required
          hint="As “npm run catalog -- pull” writes it."
        />
      ) : (
        <SelectField label="Project" name="project" required hint="Of all teams that you are a member of.">
          <Options of={projects} />
        </SelectField>
      )}
      <label className="check">
        <input type="checkbox" name="prune" />
        <span>
          Archive what has a key and is not in the document. <span className="muted">Nothing is deleted.</span>
        </span>
      </label>
      <label className="check">
        <input type="checkbox" name="adopt" />
        <span>Give its key to what is the same here, and has none.</span>
      </label>
      <Refusal error={compare.error} />
    </Form>
  );
}

/** The projects of the reader but this one, by team and id: `Acme: Shop`. */
function useOtherProjects(): Readonly<Record<string, string>> {
  const { projectId: openId } = useProject();
  const { data: teams = [] } = useQuery(teamsQuery);
  const lists = useQueries({ queries: teams.map(({ id }) => projectsQuery(id)) });
  const choices = teams.flatMap(({ id: teamId, name: team }, index) =>
    (lists[index]?.data ?? [])
      .filter(({ id }) => id !== openId)
      .map(({ id, name }) => [`${teamId} ${id}`, `${team}: ${name}`] as const),
  );
  return Object.fromEntries(choices);
}

/** @throws Error for a file that is no JSON */
async function documentOf(fields: FormData): Promise<Document> {
  const file = fields.get('file');
  if (!(file instanceof File)) {
    const [teamId = '', projectId = ''] = textOf(fields, 'project').split(' ');
    const { catalog }: { readonly catalog: unknown } = await scopeOf(teamId, projectId).billing.catalog.export();
    return catalog as Document; // the service checks it
  }
  try {
    return JSON.parse(await file.text()) as Document; // the service checks it
  } catch (cause) {
    throw new Error('This file is no JSON.', { cause });
  }
}
