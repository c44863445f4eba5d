import { runService } from '@billing/service/run-service';
import { webhooks } from './service.ts';

await runService(webhooks);
