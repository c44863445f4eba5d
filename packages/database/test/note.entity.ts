import { defineEntity, p } from '@mikro-orm/postgresql';

const NoteSchema = defineEntity({ name: 'Note', tableName: 'notes', properties: { id: p.text().primary() } });

/** MikroORM wants at least one entity; these tests use none. */
export class Note extends NoteSchema.class {}
NoteSchema.setClass(Note);
