import { catalogDocument } from '@billing/contracts/resources/catalog-document';
import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { documents, reordered, type WholeDocument } from '../../test/catalog/documents.ts';
import { apply, newProject, read, textOfProject, type Project } from '../../test/catalog/project.ts';
import { compareCatalog } from './compare.rules.ts';
import { itemsOf } from './items.rules.ts';

const RUNS = { numRuns: runs(2_000) };
const PRUNE = { prune: true, adopt: false };

/** Returns a project that is equal to a document. */
function projectOf(document: WholeDocument, name?: string): Project {
  const project = newProject(name);
  expect(apply(project, document).refusals).toEqual([]);
  return project;
}

describe('a project that a document was applied to', () => {
  it('differs neither from the document nor from its own export', () => {
    fc.assert(
      fc.property(documents, document => {
        const project = projectOf(document);
        expect(apply(project, document, PRUNE).findings).toEqual([]);
        const shown = catalogDocument.parse(JSON.parse(textOfProject(project)));
        expect(apply(project, shown, PRUNE).findings).toEqual([]);
      }),
      RUNS,
    );
  });

  it('has the same bytes as another one, with other ids and in another order', () => {
    fc.assert(
      fc.property(documents, document => {
        expect(textOfProject(projectOf(reordered(document), 'other'))).toBe(textOfProject(projectOf(document)));
      }),
      RUNS,
    );
  });
});
