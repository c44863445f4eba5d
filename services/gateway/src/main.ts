import { runService } from '@billing/chassis/run-service';
import { gatewayService } from './service.ts';

await runService(gatewayService());
