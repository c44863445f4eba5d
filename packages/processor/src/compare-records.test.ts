import { ProjectId, TeamId } from '@billing/contracts/ids';
import { scopedKey } from '@billing/database/project-objects';
import { expect, it } from 'vitest';
import { compareRecords } from './compare-records.ts';
import { fieldDifferences } from './field-differences.ts';

const scope = { teamId: TeamId.create(), projectId: ProjectId.create() };
const records = [
  { id: 'ours_1', processorId: 'equal', name: 'Ada', deletedAt: null },
  { id: 'ours_2', processorId: 'changed', name: 'Ada', deletedAt: null },
  { id: 'ours_3', processorId: 'deleted', name: 'Ada', deletedAt: new Date() },
  { id: 'ours_4', processorId: 'gone', name: 'Ada', deletedAt: null },
];

it('compares each object with its record, in the order of the objects', async () => {
  const objects = [
    { id: 'gone', deleted: true },
    { id: 'changed', name: 'Grace' },
    { id: 'unknown', deleted: true },
    { id: 'deleted', deleted: true },
    { id: 'deleted', name: 'Ada' },
    { id: 'new', name: 'Ada' },
    { id: 'equal', name: 'Ada' },
  ];
  const compared = await compareRecords(objects, {
    scope,
    parse: object => object as { name: string }, // the test made them
    find: async () => new Map(records.map(row => [scopedKey({ scope, id: row.processorId }), row])),
    differences: ({ name }, object) => fieldDifferences({ name }, { name: object.name }),
    findParents: async read => read.map(({ name }) => name === 'Ada'),
  });
  expect(compared.map(({ outcome, id }) => [outcome, id])).toEqual([
    ['extra', 'ours_4'],
    ['different', 'ours_2'],
    ['same', null],
    ['same', 'ours_3'],
    ['deleted', 'ours_3'],
    ['missing', null],
    ['same', 'ours_1'],
  ]);
  expect(compared[1]).toMatchObject({ hasParent: false, fields: [{ field: 'name', ours: 'Ada', theirs: 'Grace' }] });
  expect(compared.at(-1)).toMatchObject({ hasParent: true });
});
