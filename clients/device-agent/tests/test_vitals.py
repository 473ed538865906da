from unittest import mock

from visionops_device import agent as agent_module
from visionops_device.agent import Agent

from .agent_case import AgentCase


class VitalsCase(AgentCase):
    def test_sends_how_it_is_as_telemetry_also_of_the_time_without_the_platform(self):
        self.platform.is_away = True
        agent, _ = self.start()
        agent.is_registered.set()
        self.wait(lambda: agent.telemetry.waiting())
        self.assertEqual(self.platform.telemetry, [])
        self.platform.is_away = False
        self.wait(lambda: self.platform.telemetry and self.platform.heartbeats)
        first = self.platform.telemetry[0]
        self.assertEqual(first["kind"], "vitals")
        self.assertTrue(first["ts"].endswith("Z"))
        self.assertLessEqual({"disk"}, set(first["data"]))
        self.assertLessEqual(set(first["data"]), set(self.platform.heartbeats[0]))

    def test_keeps_one_record_for_each_time_that_the_policy_sends_them(self):
        agent = Agent(self.settings)
        agent.policy.take({"heartbeat_interval_s": 10, "sync": {"interval_s": 30}})
        for moment in (1000, 1010, 1020, 1030, 1040):
            with mock.patch.object(agent_module.time, "monotonic", return_value=moment):
                agent._keep_figures({"cpu": moment})
        self.assertEqual([record["data"]["cpu"] for record in agent.telemetry.records], [1000, 1030])
