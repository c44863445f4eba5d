import { Migration } from '@mikro-orm/migrations';
import { defineEntity, p } from '@mikro-orm/postgresql';
import type { TemplateSchema } from '../src/database-template.ts';

const Item = defineEntity({ name: 'Item', tableName: 'items', properties: { id: p.integer().primary() } });

class CreateTable extends Migration {
  override up(): void {
    this.addSql(`create table ${this.constructor.name} (id int)`);
  }
}

/** A schema whose only migration creates `table`, and so has a template of its own. */
export function schemaWith(table: string): TemplateSchema {
  class CreateItems extends CreateTable {}
  Object.defineProperty(CreateItems, 'name', { value: table });
  return { entities: [Item], migrations: [{ name: `create-${table}`, class: CreateItems }] };
}
