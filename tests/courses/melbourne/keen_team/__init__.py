from keen_team.player import KeenPlayer as Player, OtherPlayer
