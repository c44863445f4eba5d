import { runService } from '../src/run-service.ts';
import { counterService } from './counter-service.ts';

await runService(counterService());
