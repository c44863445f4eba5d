import { runService } from '@billing/chassis/run-service';
import { catalogService } from './service.ts';

await runService(catalogService());
