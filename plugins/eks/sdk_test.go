package eks_test

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	awseks "github.com/aws/aws-sdk-go-v2/service/eks"
	"github.com/aws/aws-sdk-go-v2/service/eks/types"

	"github.com/hostedsync/kubectl-hostedsync/pkg/loopback"
)

// sdk is a client that changes things, as the console does.
func sdk(s *loopback.Server, region string) *awseks.Client {
	return awseks.NewFromConfig(aws.Config{Region: region, HTTPClient: s.Client(),
		Credentials: credentials.NewStaticCredentialsProvider("AKIACONSOLE00EXAMPLE", "console-secret-EXAMPLE", "")})
}

func scale(ctx context.Context, c *awseks.Client, cluster, group string, size int32) error {
	_, err := c.UpdateNodegroupConfig(ctx, &awseks.UpdateNodegroupConfigInput{ClusterName: aws.String(cluster), NodegroupName: aws.String(group),
		ScalingConfig: &types.NodegroupScalingConfig{DesiredSize: aws.Int32(size)}})
	return err
}
