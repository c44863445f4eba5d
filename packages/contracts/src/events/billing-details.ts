import type { z } from 'zod';
import { ProjectId } from '../ids.ts';
import { billingDetails } from '../resources/billing-details.ts';
import { defineRecordEvent } from './record-event.ts';

/** A customer's billing details, apart from the customer: its own events carry no address. */
export const billingDetailsState = billingDetails.extend({ projectId: ProjectId.schema });
export type BillingDetailsState = z.output<typeof billingDetailsState>;

export const BillingDetailsUpdated = defineRecordEvent('customer-billing-details.updated', billingDetailsState);
