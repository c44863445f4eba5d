import { runService } from '@billing/chassis/run-service';
import { customersService } from './service.ts';

await runService(customersService());
