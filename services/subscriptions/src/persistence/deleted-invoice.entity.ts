import { defineEntity, p } from '@mikro-orm/postgresql';
import type { ProjectId, TeamId } from '@billing/contracts/ids';

const DeletedInvoiceSchema = defineEntity({
  name: 'DeletedInvoice',
  tableName: 'deleted_invoices',
  properties: {
    processorInvoiceId: p.text().primary(),
    teamId: p.text().$type<TeamId>().primary(),
    projectId: p.text().$type<ProjectId>().primary(),
  },
});

/** A draft that was deleted at the processor: no event that comes later records it again. */
export class DeletedInvoice extends DeletedInvoiceSchema.class {}
DeletedInvoiceSchema.setClass(DeletedInvoice);
