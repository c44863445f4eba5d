import { runService } from '@billing/service/run-service';
import { portalService } from './service.ts';

await runService(portalService());
