import { runService } from '@billing/chassis/run-service';
import { portalService } from './service.ts';

await runService(portalService());
