import { runService } from '@billing/chassis/run-service';
import { portal } from './service.ts';

await runService(portal);
