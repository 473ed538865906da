import { describe } from '@jest/globals';
import { PLAYED } from './scenarios.js';
import { playScenarios } from './support/play-scenarios.js';

describe('workflow scenarios of datasets and maintenance', () => playScenarios(PLAYED.datasets));
