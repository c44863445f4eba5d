import { messagingEntities, messagingMigrations } from '@billing/messaging/tables';
import { openDatabase as open, type Database } from '@billing/service/database';
import { Chapters } from './chapters.entity.ts';
import { Figure } from './figure.entity.ts';
import { CreateReadModel } from './migrations/0001-create-read-model.ts';
import { Project } from './project.entity.ts';
import { Subject } from './subject.entity.ts';

/** The schema of analytics; nothing connects until the first query. */
export function openDatabase(url: string): Database {
  return open({
    service: 'analytics',
    url,
    entities: [...messagingEntities, Chapters, Figure, Project, Subject],
    migrations: [...messagingMigrations, { name: '0001-create-read-model', class: CreateReadModel }],
  });
}
