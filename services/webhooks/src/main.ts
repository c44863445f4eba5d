import { runService } from '@billing/chassis/run-service';
import { webhooks } from './service.ts';

await runService(webhooks);
