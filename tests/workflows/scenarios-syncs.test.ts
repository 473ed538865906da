import { describe } from '@jest/globals';
import { PLAYED } from './scenarios.js';
import { playScenarios } from './support/play-scenarios.js';

describe('workflow scenarios of syncs', () => playScenarios(PLAYED.syncs));
