package eks

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/cloudtrail"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	awseks "github.com/aws/aws-sdk-go-v2/service/eks"
	"github.com/aws/smithy-go/logging"

	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
)

// The keys of Rancher's secret (rancher/eks-operator, controller/internal.go,
// newAWSConfigV2).
const (
	keyAccess = "amazonec2credentialConfig-accessKey"
	keySecret = "amazonec2credentialConfig-secretKey"
)

// appID is how AWS's audit trail names this program.
const appID = "kubectl-hostedsync"

// accountKey tells the clients apart: by region, and by the secret's name or "" for
// the user's login.
type accountKey struct{ region, secret string }

// account are the clients for one region and login.
type account struct {
	key   accountKey
	login string
	// print tells whether the secret is still the one that the clients use.
	print   [sha256.Size]byte
	options Options
	hide    *live.Secrets

	eks   *awseks.Client
	ec2   *ec2.Client
	trail *cloudtrail.Client

	mu sync.Mutex
	// records are the updates that are known, by cluster and target, and by id.
	records map[recordsKey]map[string]*record
}

// account returns the clients for a region and login, which it makes if they are
// asked for the first time or the secret has changed.
func (r *Reader) account(ctx context.Context, region string, c *live.Credential) (*account, *live.Problem) {
	r.mu.Lock()
	defer r.mu.Unlock()
	key, print := accountKey{region: region}, [sha256.Size]byte{}
	if c != nil {
		key.secret = c.Name
		print = sha256.Sum256([]byte(c.Data[keyAccess] + "\x00" + c.Data[keySecret]))
	}
	if a := r.accounts[key]; a != nil && a.print == print {
		return a, nil
	}
	a := &account{key: key, print: print, options: r.options, hide: &live.Secrets{}, records: map[recordsKey]map[string]*record{}}
	cfg, problem := r.config(ctx, region, c, a)
	if problem != nil {
		return nil, problem
	}
	cfg.Region = region
	cfg.Credentials = &watched{cfg.Credentials, a.hide}
	a.eks, a.ec2, a.trail = awseks.NewFromConfig(cfg), ec2.NewFromConfig(cfg), cloudtrail.NewFromConfig(cfg)
	r.accounts[key] = a
	return a, nil
}

// config is the SDK's configuration with a login.
func (r *Reader) config(ctx context.Context, region string, c *live.Credential, a *account) (aws.Config, *live.Problem) {
	if c == nil {
		if r.own == nil {
			cfg, err := r.load(ctx, region, r.options.Login)
			if err != nil {
				return cfg, configProblem(err)
			}
			r.own = &cfg
		}
		a.login = ownLogin(*r.own, r.options.Login)
		return r.own.Copy(), nil
	}
	a.login = "Rancher's credential " + c.Name
	access, secret := c.Data[keyAccess], c.Data[keySecret]
	a.hide.Add(access, secret)
	for key, value := range map[string]string{keyAccess: access, keySecret: secret} {
		if strings.TrimSpace(value) == "" {
			return aws.Config{}, &live.Problem{Kind: live.Login, Text: fmt.Sprintf("%s has no %s", a.login, key),
				Fix: "name an Amazon cloud credential with access and secret key, or read with your own login"}
		}
	}
	cfg, err := r.load(ctx, region, credentials.NewStaticCredentialsProvider(access, secret, ""))
	if err != nil {
		return cfg, configProblem(err)
	}
	return cfg, nil
}

// load reads the SDK's configuration: the environment and the shared files. The
// region is for logins that need one to ask STS.
func (r *Reader) load(ctx context.Context, region string, login aws.CredentialsProvider) (aws.Config, error) {
	with := []func(*config.LoadOptions) error{config.WithDefaultRegion(region), config.WithAppID(appID), config.WithLogger(logging.Nop{})}
	if r.options.Endpoint != "" {
		with = append(with, config.WithBaseEndpoint(r.options.Endpoint))
	}
	if r.options.Retryer != nil {
		with = append(with, config.WithRetryer(r.options.Retryer))
	}
	if login != nil {
		with = append(with, config.WithCredentialsProvider(login))
	}
	cfg, err := config.LoadDefaultConfig(ctx, with...)
	if r.options.HTTPClient != nil { // not as an option: with AWS_CA_BUNDLE the SDK refuses that
		cfg.HTTPClient = r.options.HTTPClient
	}
	return cfg, err
}

// ownLogin names the user's login as far as that is known without asking for it.
func ownLogin(cfg aws.Config, given aws.CredentialsProvider) string {
	if given != nil {
		return "the login that was handed in"
	}
	for _, source := range cfg.ConfigSources {
		switch s := source.(type) {
		case config.EnvConfig:
			if s.Credentials.HasKeys() {
				return "the keys in the environment"
			}
		case config.SharedConfig:
			if s.Profile != "" {
				return "profile " + s.Profile
			}
		}
	}
	return "the SDK's default login"
}

// origin says from where a reading is; arn is the cluster's, "" before it is known.
func (a *account) origin(arn string) string {
	out := "EKS " + a.key.region
	if parts := strings.SplitN(arn, ":", 6); len(parts) == 6 && parts[4] != "" {
		out += ", account " + parts[4]
	}
	return a.hide.Line(out + ", with " + a.login)
}

// watched is a login whose values are kept out of texts, and whose errors can be
// told from those of the call that needed it.
type watched struct {
	aws.CredentialsProvider
	hide *live.Secrets
}

// Retrieve logs in.
func (w *watched) Retrieve(ctx context.Context) (aws.Credentials, error) {
	c, err := w.CredentialsProvider.Retrieve(ctx)
	if err != nil {
		return c, &loginError{err}
	}
	w.hide.Add(c.AccessKeyID, c.SecretAccessKey, c.SessionToken)
	return c, nil
}

// loginError is why there is no login.
type loginError struct{ err error }

func (e *loginError) Error() string { return "log in: " + e.err.Error() }
func (e *loginError) Unwrap() error { return e.err }
