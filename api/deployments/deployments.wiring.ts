import { deviceStepEvent } from '../../models/deployments/deployment-events.rules.js';
import { DEPLOY } from '../../models/deployments/devices/deployment-device.sql.js';
import { followCommand } from '../../models/deployments/devices/follow-command.commands.js';
import { failSwapped } from '../../models/deployments/devices/swapped-device.commands.js';
import { leaveDeployments } from '../../models/deployments/devices/deleted-device.commands.js';
import type { EdgeFollowers } from '../edge/edge.wiring.js';
import type { DomainPart, ProcessResources } from '../process-resources.js';
import type { EventStreams } from '../streams/event-streams.js';
import { DeploymentControlController } from './deployment-control.controller.js';
import { DeploymentStreamController } from './deployment-stream.controller.js';
import { DeploymentsController } from './deployments.controller.js';
import { DeploymentsService } from './deployments.service.js';

/** What devices say of the commands that carry deployments, what they say to have installed, and that they are gone. */
export const edgeFollowers: EdgeFollowers = {
  commands: new Map([
    [
      DEPLOY,
      {
        askedBy: 'POST /api/v1/deployments',
        follow: async (tx, acknowledged, now) => {
          const move = await followCommand(tx, acknowledged, now);
          return move === null ? [] : [deviceStepEvent(tx.tenantId, move)];
        },
      },
    ],
  ]),
  deletion: leaveDeployments,
  installed: failSwapped,
};

/** Versions of models on their way to devices. */
export function wireDeployments({ db, states, events }: ProcessResources, streams: EventStreams): DomainPart {
  const deployments = new DeploymentsService(db, states, events);
  return {
    controllers: [
      [DeploymentsController, () => new DeploymentsController(deployments)],
      [DeploymentControlController, () => new DeploymentControlController(deployments)],
      [DeploymentStreamController, () => new DeploymentStreamController(deployments, streams)],
    ],
  };
}
